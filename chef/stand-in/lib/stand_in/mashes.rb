# frozen_string_literal: true

require "chef-utils/mash"

module StandIn
  # A hash with string keys that makes hashes of what is missing on the way: node.default["a"]["b"] = 1.
  class VividMash < ChefUtils::Mash
    def [](key)
      self[key] = VividMash.new unless key?(key)
      super
    end

    def read(*path)
      path.reduce(self) { |value, key| value.is_a?(Hash) && value.key?(key) ? value.fetch(key) : (return nil) }
    end

    def exist?(*path)
      *parents, last = path
      holder = parents.empty? ? self : read(*parents)
      holder.is_a?(Hash) && holder.key?(last)
    end

    protected

    def convert_value(value)
      return value if value.is_a?(VividMash)

      value.is_a?(Hash) ? VividMash.new(value) : super
    end
  end

  # What `node["a"]` gives: a hash that can be read and copied, not written.
  class ReadOnlyMash < ChefUtils::Mash
    WRITERS = %i[
      []= store clear delete delete_if reject! select! keep_if filter! merge! update replace compact!
      transform_values! transform_keys! default= regular_writer regular_update shift
    ].freeze

    # A deep copy of nested hashes and arrays.
    def self.of(value)
      case value
      when Hash then build(value)
      when Array then value.map { |item| of(item) }.freeze
      else value
      end
    end

    def self.build(hash)
      copy = allocate
      hash.each { |key, value| copy.send(:put, key.is_a?(Symbol) ? key.to_s : key, of(value)) }
      copy
    end
    private_class_method :build

    WRITERS.each do |name|
      define_method(name) { |*| raise ReadOnlyAttribute }
    end

    def read(*path)
      path.reduce(self) do |value, key|
        return nil unless (value.is_a?(Hash) && value.key?(key)) || (value.is_a?(Array) && key.is_a?(Integer))

        value[key]
      end
    end

    def read!(*path)
      exist?(*path) ? read(*path) : raise(KeyError, "no attribute #{path.map { |key| "['#{key}']" }.join}")
    end

    def exist?(*path)
      *parents, last = path
      holder = read(*parents)
      holder.is_a?(Hash) && holder.key?(last)
    end

    # Copies may be written.
    def to_hash
      {}.merge!(self).transform_values { |value| thawed(value) }
    end
    alias to_h to_hash

    def dup
      ChefUtils::Mash.new(to_hash)
    end

    def merge(*others)
      others.reduce(dup) { |merged, other| merged.merge(other) }
    end

    private

    PUT = Hash.instance_method(:store)
    private_constant :PUT

    def put(key, value)
      PUT.bind_call(self, key, value)
    end

    def thawed(value)
      case value
      when ReadOnlyMash then value.to_hash
      when Array then value.map { |item| thawed(item) }
      else value
      end
    end
  end
end
