# frozen_string_literal: true

# How a client runs on a host: in local mode, on the files beside this one, without any server.
# converge.sh says where they are, and what is kept between runs.

configuration = ENV.fetch("ORCHESTRATE_CONFIGURATION")
state = ENV.fetch("ORCHESTRATE_STATE")

local_mode true
chef_repo_path configuration
cookbook_path ["#{configuration}/cookbooks"]
role_path ["#{configuration}/roles"]
node_path "#{state}/nodes"
file_cache_path "#{state}/cache"
file_backup_path "#{state}/backup"

chef_license "accept-no-persist"
enable_reporting false
log_location $stdout
# A host converges once, when told: a process of its own would only cost memory.
client_fork false

require "#{configuration}/client/report_handler"

changes = Orchestrate::Changes.new
report = Orchestrate::Report.new(changes, state, File.basename(configuration))
event_handlers << changes
report_handlers << report
exception_handlers << report
