# frozen_string_literal: true

require_relative "../files/access"
require_relative "../files/difference"
require_relative "../files/placing"

module StandIn
  module Resources
    # What file, template and cookbook_file share: a path with content, owner, group and mode.
    class ManagedFile < Resource
      property :path, String, name_property: true
      property :owner, [String, Integer]
      property :group, [String, Integer]
      property :mode, [String, Integer], callbacks: Property::MODE
      property :backup, [Integer, false], default: 5, desired_state: false
      property :force_unlink, [true, false], default: false, desired_state: false
      property :manage_symlink_source, [true, false], desired_state: false
      property :atomic_update, [true, false], default: true, desired_state: false

      alias user owner

      # A command in which %{path} is the new content's file, or a block that takes its path. Said more
      # than once, all must hold.
      def verify(command = nil, &block)
        return @verify ||= [] if command.nil? && block.nil?

        raise UnknownName.new("verify :#{command}: give a command", where: calling_place) if command.is_a?(Symbol)

        (@verify ||= []) << (command || block)
      end

      action :create do
        refuse_other_things
        check_content unless wanted.nil?
        create_file
        change_content unless wanted.nil?
        change_access
      end

      action :create_if_missing do
        action_create unless ::File.exist?(new_resource.path)
      end

      action :delete do
        next unless ::File.exist?(new_resource.path) || ::File.symlink?(new_resource.path)

        converge_by("delete file #{new_resource.path}") do
          Files::Placing.new(new_resource.path, new_resource.backup).back_up unless ::File.symlink?(new_resource.path)
          ::File.delete(new_resource.path)
        end
      end

      action :touch do
        action_create
        converge_by("update utime on file #{new_resource.path}") { FileUtils.touch(new_resource.path) }
      end

      action_class do
        # The bytes it shall hold; nil where only the file itself is managed.
        def content
          nil
        end

        def wanted
          @wanted ||= content&.b
        end

        def refuse_other_things
          path = new_resource.path
          folder = ::File.dirname(path)
          raise Error, "its folder #{folder} does not exist" unless why_run? || ::File.directory?(folder)
          return if !::File.exist?(path) || ::File.file?(path)
          raise Error, "#{path} is no file, and force_unlink is not set" unless new_resource.force_unlink

          converge_by("unlink what is at #{path}") { FileUtils.rm_rf(path) }
        end

        def create_file
          return if ::File.exist?(new_resource.path)

          converge_by("create new file #{new_resource.path}") { FileUtils.touch(new_resource.path) }
          @created = true
        end

        # Before anything is touched: what is refused leaves no empty file.
        def check_content
          return if new_resource.verify.empty? || as_wanted?

          Files::Placing.temporary(new_resource.path, wanted) { |new_file| check(new_file) }
        end

        def as_wanted?
          ::File.file?(new_resource.path) && ::File.binread(new_resource.path) == wanted
        end

        def change_content
          return if as_wanted?

          Files::Placing.temporary(new_resource.path, wanted) do |new_file|
            converge_by("update content in file #{new_resource.path}\n#{difference(new_file)}") { place(new_file) }
          end
        end

        def place(new_file)
          Files::Placing.new(new_resource.path, @created ? 0 : new_resource.backup).replace_with(new_file)
        end

        def difference(new_file)
          return new_resource.diff = "suppressed sensitive resource" if new_resource.sensitive

          old = ::File.file?(new_resource.path) ? new_resource.path : ::File::NULL
          new_resource.diff = Files::Difference.between(old, new_file, new_resource.path)
        end

        def check(new_file)
          new_resource.verify.each do |verification|
            next check_with(verification, new_file) unless verification.is_a?(Proc)

            raise Error, "the new content failed its verification" unless verification.call(new_file)
          end
        end

        def check_with(command, new_file)
          done = shell_out(format(command, path: new_file), default_env: true)
          return if done.exitstatus.zero?

          output = new_resource.sensitive ? "[sensitive]" : "#{done.stdout}#{done.stderr}".strip
          raise Error, "the new content of #{new_resource.path} failed `#{command}': #{output}"
        end

        def change_access
          access = Files::Access.new(new_resource, new_resource.path)
          differences = access.differences
          converge_by(*differences) { access.apply } if differences.any?
        end
      end
    end

    # file "/etc/motd" do content "…" end
    class File < ManagedFile
      provides :file
      property :content, [String, nil], desired_state: false

      action_class do
        def content
          new_resource.content
        end
      end
    end

    # A file of a cookbook's files/, as it is.
    class CookbookFile < ManagedFile
      provides :cookbook_file
      property :source, [String, Array], default: Lazy.new { ::File.basename(path) }, desired_state: false
      property :cookbook, String, desired_state: false

      action_class do
        def content
          book = run_context.cookbooks[new_resource.cookbook || cookbook_name]
          sources = Array(new_resource.source)
          source = sources.find { |one| book.specific?("files", one, node) } || sources.first
          ::File.binread(book.specific("files", source, node))
        end
      end
    end
  end
end
