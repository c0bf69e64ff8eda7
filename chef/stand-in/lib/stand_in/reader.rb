# frozen_string_literal: true

require "ripper"
require_relative "../stand_in"

module StandIn
  # Reads cookbooks without running a line of them, and finds the words that no client knows: resources,
  # their properties and actions, methods.
  class Reader
    # What may be said in a block of a kind of resource; `actions` is nil where any may be.
    Words = Struct.new(:kind, :names, :actions)
    # A word that nobody knows; `line` of `file`.
    Unknown = Struct.new(:file, :line, :what)

    SHARED = Resource.instance_methods + Resource.private_instance_methods
    IN_RECIPES = Recipe.instance_methods + Recipe.private_instance_methods
    IN_ACTIONS = ActionContext.instance_methods + ActionContext.private_instance_methods
    IN_ATTRIBUTES = AttributesFile.instance_methods + AttributesFile.private_instance_methods

    # `folder` holds cookbooks.
    def initialize(folder)
      @folder = folder
      @kinds = DSL::Declarations.names.to_h { |name| [name, built_in(name)] }
      @methods = trees("libraries").values.flat_map { |tree| defined_in(tree) }
      trees("resources").each { |file, tree| learn(file, tree) }
    end

    # All of them, in the order of files and lines.
    def unknown
      @found = []
      trees("attributes").each { |file, tree| read(file, tree, IN_ATTRIBUTES) }
      trees("recipes").each { |file, tree| read(file, tree, IN_RECIPES) }
      trees("resources").each { |file, tree| actions_of(tree).each { |body| read(file, body, IN_ACTIONS, tree) } }
      @found.uniq.sort_by { |one| [one.file, one.line] }
    end

    private

    # Files that don't parse are somebody else's to tell.
    def trees(kind)
      files = Dir.glob(File.join(@folder, "*", kind, "**", "*.rb"))
      files.to_h { |file| [file, Ripper.sexp(File.read(file, encoding: "UTF-8"))] }.compact
    end

    def built_in(name)
      kind = DSL::Declarations.find(name)
      Words.new(name, kind.instance_methods + kind.private_instance_methods, kind.allowed_actions)
    end

    # A custom resource: what its file says of itself at its top.
    def learn(file, tree)
      said = tree[1].filter_map { |node| statement(node) }
      cookbook = file.delete_prefix(@folder).split("/").reject(&:empty?).first
      default = File.basename(file) == "default.rb" ? cookbook : "#{cookbook}_#{File.basename(file, '.rb')}"
      names = values(said, "provides")
      names = [default.tr("-", "_").to_sym] if names.empty?
      words = SHARED + values(said, "property") + defined_in(tree)
      actions = [:nothing, *values(said, "action")]
      names.each { |name| @kinds[name] = Words.new(name, words, actions) }
    end

    # ["property", :name] of `property :name, String`, also before a block; nil for anything else.
    def statement(node)
      node = node[1] if node[0] == :method_add_block
      return unless node[0] == :command

      [node[1][1], symbols(node[2]).first]
    end

    def values(said, word)
      said.select { |name, value| name == word && value }.map(&:last)
    end

    # Bodies of actions, and of what they share.
    def actions_of(tree)
      blocks = tree[1].select { |node| node[0] == :method_add_block }
      blocks.select { |node| %w[action action_class].include?(called(node[1])&.first) }.map(&:last)
    end

    def read(file, tree, base, whole = tree)
      @file = file
      @base = base + @methods + defined_in(whole)
      walk(tree, nil)
    end

    # `words` are those of the resource whose block this is in, if any.
    def walk(node, words)
      return unless node.is_a?(Array)

      name, line = called(node)
      return node.each { |part| walk(part, words) } unless name

      look_up(name, line, words)
      look_up_actions(node, line, words) if name == "action" && words
      parts = node.drop(1)
      block = parts.pop if node[0] == :method_add_block
      parts.each { |part| walk(part[0] == :@ident ? nil : arguments(part), words) }
      walk(block, @kinds[name.to_sym] || words)
    end

    # The name and line of a call without a receiver, with or without arguments and block.
    def called(node)
      case node[0]
      when :method_add_block, :method_add_arg then called(node[1])
      when :command, :fcall, :vcall then [node[1][1], node[1][2][0]] if node[1][0] == :@ident
      end
    end

    # Of the call inside of a call, what is left to read.
    def arguments(part)
      called(part) ? part.drop(1).reject { |one| called(one) || one[0] == :@ident } : part
    end

    def look_up(name, line, words)
      word = name.to_sym
      return if @kinds.key?(word) || @base.include?(word) || words&.names&.include?(word)

      place = words ? "`#{words.kind}' has no property, and recipes have no resource," : "no resource or method"
      known = words ? (words.names - SHARED).reject { |one| one.end_with?("=") } : @kinds.keys
      hint = Nearest.hint(name, known)
      hint = ": Chef has it, the stand-in does not" if DSL::Refusals::NOT_HERE.include?(word)
      @found << Unknown.new(@file, line, "#{place} `#{name}'#{hint}")
    end

    def look_up_actions(node, line, words)
      given = node[0] == :method_add_arg ? node[2] : node
      (symbols(given) - words.actions).each do |action|
        hint = Nearest.hint(action, words.actions)
        @found << Unknown.new(@file, line, "`#{words.kind}' has no action `#{action}'#{hint}")
      end
    end

    # Symbols written out, `:a` and `%i(a b)`, but those given to calls.
    def symbols(node)
      return [] if !node.is_a?(Array) || %i[call method_add_arg method_add_block].include?(node[0])
      return [node[1][1][1].to_sym] if node[0] == :symbol_literal && node[1][0] == :symbol
      return [node[1].to_sym] if node[0] == :@tstring_content

      node.flat_map { |part| symbols(part) }
    end

    def defined_in(node)
      return [] unless node.is_a?(Array)

      own = node[0] == :def ? [node[1][1].to_sym] : []
      own + node.flat_map { |part| defined_in(part) }
    end
  end
end
