# frozen_string_literal: true

require_relative "../files/access"

module StandIn
  module Resources
    # A folder, or with recursive its parents too; owner, group and mode are of the folder alone.
    class Directory < Resource
      provides :directory
      property :path, String, name_property: true
      property :recursive, [true, false], default: false, desired_state: false
      property :owner, [String, Integer]
      property :group, [String, Integer]
      property :mode, [String, Integer], callbacks: Property::MODE

      action :create do
        refuse_other_things
        make unless ::File.directory?(new_resource.path)
        access = Files::Access.new(new_resource, new_resource.path)
        differences = access.differences
        converge_by(*differences) { access.apply } if differences.any?
      end

      action :delete do
        next unless ::File.directory?(new_resource.path)

        converge_by("delete existing directory #{new_resource.path}") do
          new_resource.recursive ? FileUtils.rm_rf(new_resource.path) : Dir.rmdir(new_resource.path)
        end
      end

      action_class do
        def refuse_other_things
          path = new_resource.path
          raise Error, "#{path} exists and is no directory" if ::File.exist?(path) && !::File.directory?(path)
          return if new_resource.recursive || why_run? || ::File.directory?(::File.dirname(path))

          raise Error, "its folder #{::File.dirname(path)} does not exist, and recursive is not set"
        end

        def make
          converge_by("create new directory #{new_resource.path}") do
            new_resource.recursive ? FileUtils.mkdir_p(new_resource.path) : Dir.mkdir(new_resource.path)
          end
        end
      end
    end

    # A cookbook's folder of files, file by file.
    class RemoteDirectory < Resource
      provides :remote_directory
      unified_mode true
      property :path, String, name_property: true
      property :source, String, default: Lazy.new { ::File.basename(path) }, desired_state: false
      property :cookbook, String, desired_state: false
      property :recursive, [true, false], default: true, desired_state: false
      property :purge, [true, false], default: false, desired_state: false
      property :overwrite, [true, false], default: true, desired_state: false
      %i[owner group files_owner files_group].each { |name| property name, [String, Integer] }
      %i[mode files_mode].each { |name| property name, [String, Integer], callbacks: Property::MODE }

      action :create do
        folder(new_resource.path)
        sources.each_key { |name| folder(::File.dirname(::File.join(new_resource.path, name))) }
        sources.each { |name, path| copy(::File.join(new_resource.path, name), path) }
        remove_others if new_resource.purge
      end

      action_class do
        # Below the source folder: relative names and where they are.
        def sources
          book = run_context.cookbooks[new_resource.cookbook || cookbook_name]
          root = book.specific("files", new_resource.source, node)
          names = Dir.glob("**/*", ::File::FNM_DOTMATCH, base: root).sort
          names.to_h { |name| [name, ::File.join(root, name)] }.select { |_, path| ::File.file?(path) }
        end

        def folder(path)
          wanted = new_resource
          directory path do
            recursive true
            owner wanted.owner
            group wanted.group
            mode wanted.mode
          end
        end

        def copy(target, source)
          wanted = new_resource
          file target do
            content(lazy { ::File.binread(source) })
            owner wanted.files_owner
            group wanted.files_group
            mode wanted.files_mode
            action wanted.overwrite ? :create : :create_if_missing
          end
        end

        def remove_others
          Dir.glob("**/*", ::File::FNM_DOTMATCH, base: new_resource.path).each do |name|
            path = ::File.join(new_resource.path, name)
            next if sources.key?(name) || !::File.file?(path)

            file(path) { action :delete }
          end
        end
      end
    end
  end
end
