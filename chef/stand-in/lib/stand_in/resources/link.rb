# frozen_string_literal: true

require_relative "../files/access"

module StandIn
  module Resources
    # A symbolic link, or with link_type :hard another name of a file.
    class Link < Resource
      provides :link
      property :target_file, String, name_property: true
      property :to, String, required: [:create]
      property :link_type, [String, Symbol], default: :symbolic, coerce: proc(&:to_sym), equal_to: %i[symbolic hard]
      property :owner, [String, Integer]
      property :group, [String, Integer]

      action :create do
        replace unless there?
        change_access if new_resource.link_type == :symbolic
      end

      action :delete do
        path = new_resource.target_file
        next unless ::File.symlink?(path) || ::File.exist?(path)
        raise Error, "#{path} is no link" unless ::File.symlink?(path) || new_resource.link_type == :hard

        converge_by("delete link at #{path}") { ::File.delete(path) }
      end

      action_class do
        def there?
          path = new_resource.target_file
          if new_resource.link_type == :symbolic
            return ::File.symlink?(path) && ::File.readlink(path) == new_resource.to
          end

          ::File.exist?(path) && !::File.symlink?(path) && ::File.identical?(path, new_resource.to)
        end

        def replace
          path = new_resource.target_file
          raise Error, "#{path} is a directory" if ::File.directory?(path) && !::File.symlink?(path)

          converge_by("create #{new_resource.link_type} link at #{path} to #{new_resource.to}") do
            ::File.delete(path) if ::File.symlink?(path) || ::File.exist?(path)
            ::File.public_send(new_resource.link_type == :symbolic ? :symlink : :link, new_resource.to, path)
          end
        end

        def change_access
          access = Files::Access.new(new_resource, new_resource.target_file, link: true)
          differences = access.differences
          converge_by(*differences) { access.apply } if differences.any?
        end
      end
    end
  end
end
