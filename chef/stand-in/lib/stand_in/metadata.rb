# frozen_string_literal: true

module StandIn
  # What a cookbook's metadata.rb says.
  class Metadata
    PLAIN = %i[
      maintainer maintainer_email license description source_url issues_url chef_version privacy
      long_description ohai_version provides gem eager_load_libraries
    ].freeze

    attr_reader :path, :dependencies, :platforms

    def self.read(path)
      new(path).tap { |metadata| Source.run_in(metadata, path) }
    end

    def initialize(path)
      @path = path
      @name = nil
      @version = "0.0.0"
      @dependencies = {}
      @platforms = {}
    end

    PLAIN.each { |name| define_method(name) { |*| nil } }

    def name(value = nil)
      value ? @name = value : @name
    end

    def version(value = nil)
      value ? @version = value : @version
    end

    def depends(cookbook, requirement = ">= 0.0.0")
      @dependencies[cookbook] = requirement
    end

    def supports(platform, requirement = ">= 0.0.0")
      @platforms[platform] = requirement
    end

    # Is this platform among those that the cookbook supports? One that names none is for all.
    def supports?(platform, version)
      return true if platforms.empty?

      platforms.key?(platform) && Metadata.satisfies?(version, platforms[platform])
    end

    # Does a version meet "~> 1.2"? Platform versions like "12" count as "12.0".
    def self.satisfies?(version, requirement)
      Gem::Requirement.new(requirement).satisfied_by?(Gem::Version.new(version[/\A\d+(\.\d+)*/] || "0"))
    end

    def method_missing(called, *)
      raise UnknownName.new("metadata.rb has no `#{called}'#{Nearest.hint(called, known)}", where: where)
    end

    def respond_to_missing?(*)
      false
    end

    private

    def known
      PLAIN + %i[name version depends supports]
    end

    def where
      file, line = Place.calling
      "#{Place.short(file || path)}:#{line}"
    end
  end
end
