# frozen_string_literal: true

module StandIn
  # "undefined method `[]' for nil" says little; where a line reads node['a']['b'], this says which of
  # the keys isn't there.
  module MissingAttribute
    READING = /node((?:\[\s*(?:'[^']*'|"[^"]*"|:\w+)\s*\])+)/
    KEY = /\[\s*(?:'([^']*)'|"([^"]*)"|:(\w+))\s*\]/

    # The error, its message completed where a nil attribute is the cause.
    def self.explained(error, node)
      sentence = node && explain(error, node)
      return error if sentence.nil? || error.message.include?(sentence)

      CookbookError.new("#{sentence}: #{error.message}", where: Place.of_error(error)).tap do |one|
        one.set_backtrace(error.backtrace)
      end
    end

    # A sentence about the first attribute that is nil on the line, or nil.
    def self.explain(error, node)
      cause = root(error)
      return nil unless cause.is_a?(NoMethodError) && cause.message.include?("nil")

      line = source_line(cause)
      readings = line.to_s.scan(READING).flatten.map { |keys| keys.scan(KEY).flatten.compact }
      readings.filter_map { |keys| first_nil(node, keys) }.first
    end

    def self.root(error)
      error.cause ? root(error.cause) : error
    end
    private_class_method :root

    def self.source_line(error)
      place = Array(error.backtrace).find { |text| Place.cookbook_file?(text) }
      return nil unless place

      path, number = place.match(/\A(.+?):(\d+)/).captures
      File.file?(path) ? File.readlines(path)[number.to_i - 1] : nil
    end
    private_class_method :source_line

    def self.first_nil(node, keys)
      keys.each_index do |index|
        next unless node.read(*keys[0..index]).nil?

        holder = index.zero? ? node : node.read(*keys[0...index])
        around = holder.respond_to?(:keys) ? holder.keys : []
        return "node#{keys[0..index].map { |key| "['#{key}']" }.join} is nil#{Nearest.hint(keys[index], around)}"
      end
      nil
    end
    private_class_method :first_nil
  end
end
