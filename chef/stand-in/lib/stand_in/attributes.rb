# frozen_string_literal: true

require_relative "mashes"

module StandIn
  # The levels of attributes and what they make together (docs.chef.io/attribute_precedence).
  #
  # Levels of one kind (all defaults, all overrides) are merged deeply, arrays become the union of both.
  # Kinds are laid over each other, normal over defaults, overrides over normal, automatic over all:
  # hashes are merged, any other value of the higher one stands, nil too. There are no environments here.
  class Attributes
    DEFAULTS = %i[default role_default force_default].freeze
    OVERRIDES = %i[override role_override force_override].freeze
    LEVELS = [*DEFAULTS, :normal, *OVERRIDES, :automatic].freeze

    def initialize
      @levels = LEVELS.to_h { |level| [level, VividMash.new] }
    end

    # What one level says, writable.
    def level(name)
      @levels.fetch(name)
    end

    def replace(name, values)
      @levels[name] = VividMash.new(values)
    end

    def keys
      @levels.values.flat_map(&:keys).uniq
    end

    # The value of a key at the top, read-only; nil where no level has it.
    def [](key)
      ReadOnlyMash.of(merged(key.to_s))
    end

    def key?(key)
      @levels.values.any? { |values| values.key?(key) }
    end

    private

    NONE = Object.new.freeze
    private_constant :NONE

    def merged(key)
      kinds = [joined(DEFAULTS, key), at(:normal, key), joined(OVERRIDES, key), at(:automatic, key)]
      value = kinds.reduce(NONE) { |lower, higher| Attributes.laid_over(lower, higher) }
      value.equal?(NONE) ? nil : value
    end

    def joined(levels, key)
      levels.map { |level| at(level, key) }.reduce do |lower, higher|
        next lower if higher.equal?(NONE)

        lower.equal?(NONE) ? higher : Attributes.deep_merge(lower, higher)
      end
    end

    def at(level, key)
      @levels[level].key?(key) ? @levels[level].fetch(key) : NONE
    end

    class << self
      # Within a kind of level: hashes deeply, arrays as a union, else the later one.
      def deep_merge(lower, higher)
        return lower | higher if lower.is_a?(Array) && higher.is_a?(Array)
        return higher unless lower.is_a?(Hash) && higher.is_a?(Hash)

        hash_merge(lower, higher) { |below, above| deep_merge(below, above) }
      end

      # From one kind of level to the next: hashes deeply, else the higher one.
      def laid_over(lower, higher)
        return lower if higher.equal?(NONE)
        return higher unless lower.is_a?(Hash) && higher.is_a?(Hash)

        hash_merge(lower, higher) { |below, above| laid_over(below, above) }
      end

      private

      def hash_merge(lower, higher)
        higher.each_with_object(lower.to_h) do |(key, value), merged|
          merged[key] = merged.key?(key) ? yield(merged[key], value) : value
        end
      end
    end
  end
end
