# frozen_string_literal: true

# Runs the stand-in on many small configurations, each in a process of its own, after loading it and
# asking ohai once: batch.rb STAND_IN FOLDER... , each folder with `run.json` saying how.

stand_in, *folders = ARGV
require "#{stand_in}/lib/stand_in/application"

facts = StandIn::Facts.gather
StandIn::Facts.define_singleton_method(:gather) { facts }

def converge(folder, options)
  ENV["ORCHESTRATE_STATE"] = "#{folder}/state"
  ENV["ORCHESTRATE_CONFIGURATION"] = "#{folder}/state/configuration/0123abcd"
  $stdout.reopen("#{folder}/output", "w")
  $stderr.reopen($stdout)
  config = "#{ENV.fetch('ORCHESTRATE_CONFIGURATION')}/client/client.rb"
  words = ["--local-mode", "--config", config, "--json-attributes", "#{folder}/state/node.json", *options]
  code = StandIn::Application.new.run(words)
  $stdout.flush
  exit!(code)
end

folders.each do |folder|
  how = JSON.parse(File.read("#{folder}/run.json"))
  codes = Array.new(how["runs"]) { Process.wait2(fork { converge(folder, how["options"]) })[1].exitstatus }
  File.write("#{folder}/code", codes.last.to_s)
end
