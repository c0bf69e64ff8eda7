# frozen_string_literal: true

module StandIn
  module Resources
    # The host's name, now, after the next boot, and in /etc/hosts. As in Chef it is set while recipes
    # are read, unless compile_time is false.
    class Hostname < Resource
      provides :hostname
      unified_mode true
      property :hostname, String, name_property: true
      property :fqdn, String
      property :ipaddress, [String, nil], default: Lazy.new { node["ipaddress"] }
      property :aliases, [Array, nil]
      property :compile_time, [true, false], default: true, desired_state: false

      action :set do
        wanted = new_resource.hostname
        execute "set hostname to #{wanted}" do
          command ["/bin/hostname", wanted]
          not_if { shell_out!("hostname").stdout.chomp == wanted }
        end
        name_in_hosts unless new_resource.ipaddress.nil?
        keep_name
      end

      action_class do
        # Chef's line: address, full name, name, aliases, short name.
        def name_in_hosts
          name, address = new_resource.hostname, new_resource.ipaddress
          short = name[/[^.]*/]
          line = [address, *new_resource.fqdn, name, *new_resource.aliases, short].reject(&:empty?).join(" ")
          others = /^#{Regexp.escape(address)}\s+|\s+#{Regexp.escape(name)}\s+/
          kept = ::File.readlines("/etc/hosts", chomp: true)
          return if kept.include?(line)

          text = "#{[*kept.grep_v(others), line].join("\n")}\n"
          file "/etc/hosts" do
            content text
            owner "root"
            group "root"
            mode "0644"
          end
        end

        def keep_name
          wanted = new_resource.hostname
          execute "hostnamectl set-hostname #{wanted}" do
            not_if do
              shell_out("hostnamectl", "status").stdout.match?(/Static hostname:\s*#{Regexp.escape(wanted)}\s*$/)
            end
          end
        end
      end
    end

    # The host's time zone.
    class Timezone < Resource
      provides :timezone
      unified_mode true
      property :timezone, String, name_property: true

      load_current_value do
        timezone shell_out!("timedatectl", "show", "--property=Timezone", "--value").stdout.strip
      end

      action :set do
        converge_if_changed(:timezone) do
          package "tzdata"
          shell_out!("timedatectl", "--no-ask-password", "set-timezone", new_resource.timezone)
        end
      end
    end

    # The language of programs that nobody told another one.
    class Locale < Resource
      FILE = "/etc/locale.conf"

      provides :locale
      unified_mode true
      property :lang, String, regex: /\A\S+/
      property :lc_env, Hash, default: {}

      load_current_value do
        current_value_does_not_exist! unless ::File.exist?(FILE)
        values = ::File.readlines(FILE, chomp: true).filter_map { |line| line.split("=", 2) if line.include?("=") }.to_h
        lang values["LANG"] if values["LANG"]
        lc_env(values.select { |name, _| name.start_with?("LC_") })
      end

      action :update do
        converge_if_changed do
          generate
          values = new_resource.lc_env.merge(new_resource.lang ? { "LANG" => new_resource.lang } : {})
          file(FILE) { content "#{values.sort.map { |pair| pair.join('=') }.join("\n")}\n" }
        end
      end

      action_class do
        def generate
          known = shell_out!("locale", "-a").stdout.split.map { |name| plain(name) }
          missing = [new_resource.lang, *new_resource.lc_env.values].compact.uniq.reject do |name|
            known.include?(plain(name))
          end
          return if missing.empty?
          raise Error, "no locale-gen here, for #{missing.join(', ')}" unless which("locale-gen")

          shell_out!("locale-gen", *missing, timeout: 1800)
        end

        # en_US.UTF-8 and en_US.utf8 are one.
        def plain(name)
          name.downcase.delete("-")
        end
      end
    end
  end
end
