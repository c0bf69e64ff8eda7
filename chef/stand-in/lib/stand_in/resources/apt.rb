# frozen_string_literal: true

require "addressable/uri"

module StandIn
  module Resources
    # apt's lists of packages: fetched anew always (:update) or when they are old (:periodic).
    class AptUpdate < Resource
      STAMPS = "/var/lib/apt/periodic"
      STAMP = "#{STAMPS}/update-success-stamp".freeze
      HOOK = "/etc/apt/apt.conf.d/15update-stamp"

      provides :apt_update
      unified_mode true
      property :frequency, Integer, default: 86_400

      action :periodic do
        fresh = ::File.exist?(STAMP) && ::File.mtime(STAMP) > Time.now - new_resource.frequency
        converge_by("update new lists of packages") { fetch } unless fresh
      end

      action :update do
        converge_by("force update new lists of packages") { fetch }
      end

      action_class do
        def fetch
          [STAMPS, ::File.dirname(HOOK)].each { |path| directory(path) { recursive true } }
          file HOOK do
            content %(APT::Update::Post-Invoke-Success {"touch #{STAMP} 2>/dev/null || true";};\n)
            action :create_if_missing
          end
          execute("apt-get -q update") do
            command %w[apt-get -q update]
            default_env true
          end
        end
      end
    end

    # A source of packages in /etc/apt/sources.list.d, with its key from a file of the cookbook.
    class AptRepository < Resource
      provides :apt_repository
      unified_mode true
      property :repo_name, String, name_property: true, regex: %r{\A[^/]+\z}
      property :uri, String, required: [:add]
      property :distribution, [String, nil, false], default: Lazy.new { node["lsb"]["codename"] }
      property :components, Array, default: []
      property :arch, [String, nil, false]
      property :trusted, [true, false], default: false
      property :deb_src, [true, false], default: false
      property :key, [String, Array, nil, false], default: [], coerce: proc { |given| given ? Array(given) : given }
      property :signed_by, [String, true, false, nil], default: true
      property :cookbook, [String, nil, false], desired_state: false
      property :cache_rebuild, [true, false], default: true, desired_state: false
      property :options, [String, Array], default: [], coerce: proc { |given| Array(given) }

      action :add do
        declare_update
        Array(new_resource.key).each { |key| install_key(key) }
        text = lines
        told = "apt_update[#{new_resource.name}]" if new_resource.cache_rebuild
        hidden = new_resource.sensitive
        file list do
          owner "root"
          group "root"
          mode "0644"
          content text
          sensitive hidden
          notifies :update, told, :immediately if told
        end
      end

      action :remove do
        next unless ::File.exist?(list)

        declare_update
        told = "apt_update[#{new_resource.name}]" if new_resource.cache_rebuild
        file(keyring) { action :delete }
        file list do
          action :delete
          notifies :update, told, :immediately if told
        end
      end

      action_class do
        def list
          "/etc/apt/sources.list.d/#{new_resource.repo_name}.list"
        end

        def keyring
          "/etc/apt/keyrings/#{new_resource.repo_name}.gpg"
        end

        def declare_update
          apt_update new_resource.name do
            ignore_failure true
            action :nothing
          end
        end

        # As Chef does it: into a keyring of its own, which only this source trusts.
        def install_key(key)
          check_key(key)
          directory("/etc/apt/keyrings") { mode "0755" }
          copy = ::File.join(Chef::Config[:file_cache_path], key.gsub(/[^0-9A-Za-z-]/, "_"))
          import = declare_import(copy)
          book = new_resource.cookbook || cookbook_name
          cookbook_file copy do
            source key
            cookbook book
            mode "0644"
            notifies :run, import, :immediately
          end
          place_keyring(import)
        end

        def check_key(key)
          remote = key.start_with?("http") || key.match?(/\A(0x)?\h{8,40}\z/)
          raise Error, "key #{key}: only a file of the cookbook is known here" if remote
          raise Error, "key #{key}: signed_by must be true or name a keyring" unless new_resource.signed_by
        end

        def declare_import(copy)
          ring = keyring
          execute "import #{ring}" do
            command %W[gpg --import --batch --yes --no-default-keyring --keyring gnupg-ring:#{ring} #{copy}]
            default_env true
            action :nothing
          end
          "execute[import #{ring}]"
        end

        def place_keyring(import)
          missing = !::File.exist?(keyring)
          file keyring do
            mode "0644"
            notifies :run, import, :before if missing
          end
        end

        def lines
          signed_by = new_resource.signed_by == true ? keyring : new_resource.signed_by
          options = [new_resource.arch && "arch=#{new_resource.arch}", new_resource.trusted && "trusted=yes",
                     signed_by && "signed-by=#{signed_by}", *new_resource.options].select { |option| option }
          shown = options.empty? ? nil : "[#{options.join(' ')}]"
          uri = Addressable::URI.parse(new_resource.uri).normalize.to_s
          info = [shown, uri, new_resource.distribution, new_resource.components.join(" ")].compact.join(" ")
          "deb      #{info}\n#{"deb-src  #{info}\n" if new_resource.deb_src}"
        end
      end
    end
  end
end
