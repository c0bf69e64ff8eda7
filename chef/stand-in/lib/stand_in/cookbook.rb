# frozen_string_literal: true

require_relative "metadata"

module StandIn
  # A cookbook's folder.
  class Cookbook
    attr_reader :folder, :metadata

    def initialize(folder)
      @folder = folder
      @metadata = Metadata.read(File.join(folder, "metadata.rb"))
    end

    def name
      metadata.name || File.basename(folder)
    end

    # Files of a kind (attributes, libraries, recipes, resources), in the order they are loaded.
    def files(kind)
      sorted = Dir.glob(File.join(folder, kind, "**", "*.rb"))
      first, rest = sorted.partition { |file| File.basename(file) == "default.rb" }
      kind == "attributes" ? first + rest : sorted
    end

    def recipe(short_name)
      path = File.join(folder, "recipes", "#{short_name}.rb")
      return path if File.file?(path)

      names = files("recipes").map { |file| File.basename(file, ".rb") }
      raise CookbookError, "cookbook `#{name}' has no recipe `#{short_name}'#{Nearest.hint(short_name, names)}"
    end

    # The most specific file or folder of that name: host, platform with version, platform, default, plain.
    def specific(kind, source, node)
      found = candidates(kind, source, node).find { |path| File.exist?(path) }
      found || raise(CookbookError, "cookbook `#{name}' has no #{kind}/#{source}#{file_hint(kind, source)}")
    end

    def specific?(kind, source, node)
      candidates(kind, source, node).any? { |path| File.exist?(path) }
    end

    private

    def candidates(kind, source, node)
      return [File.join(folder, kind, source)] if node.nil?

      platform, version = node["platform"], node["platform_version"].to_s
      shorter = version.split(".").each_index.map { |index| version.split(".")[0..index].join(".") }.reverse
      places = ["host-#{node['fqdn']}", *shorter.map { |part| "#{platform}-#{part}" }, platform, "default", ""]
      places.map { |place| File.join(folder, kind, place.to_s, source) }
    end

    def file_hint(kind, source)
      root = File.join(folder, kind)
      Nearest.hint(source, Dir.glob("**/*", base: root).select { |file| File.file?(File.join(root, file)) })
    end
  end

  # All cookbooks at hand, and the order in which a run loads them.
  class Cookbooks
    def initialize(folders)
      found = folders.flat_map { |folder| Dir.glob(File.join(folder, "*", "metadata.rb")) }
      books = found.sort.map { |path| Cookbook.new(File.dirname(path)) }
      @cookbooks = books.to_h { |book| [book.name, book] }
    end

    def [](name)
      @cookbooks[name] || raise(CookbookError, "no cookbook `#{name}'#{Nearest.hint(name, @cookbooks.keys)}")
    end

    # The cookbooks of these recipes, each after those it depends on.
    def ordered(recipes)
      names = recipes.map { |recipe| recipe.split("::").first }.uniq
      names.each_with_object([]) { |name, order| visit(name, order, []) }
    end

    private

    def visit(name, order, way)
      raise CookbookError, "cookbooks depend on each other: #{[*way, name].join(' -> ')}" if way.include?(name)

      book = dependency(name, way)
      return if order.include?(book)

      book.metadata.dependencies.each do |needed, requirement|
        visit(needed, order, [*way, name])
        check_version(book, self[needed], requirement)
      end
      order << book
    end

    def dependency(name, way)
      self[name]
    rescue CookbookError => e
      way.empty? ? raise : raise(CookbookError.new(e.message, where: Place.short(self[way.last].metadata.path)))
    end

    def check_version(book, needed, requirement)
      return if Metadata.satisfies?(needed.metadata.version, requirement)

      text = "`#{needed.name}' is #{needed.metadata.version}, `#{book.name}' wants #{requirement}"
      raise CookbookError.new(text, where: Place.short(book.metadata.path))
    end
  end
end
