# frozen_string_literal: true

require "forwardable"
require "socket"

# What applies the cookbooks to a lab's hosts where neither Cinc nor Chef can be installed: the part of
# Chef's language and resources that these cookbooks use, over what Debian packages of Chef itself.
# What it doesn't know is an error, never passed over. It is not Chef, and says so.
module StandIn
  VERSION = 1
  NAME = "stand-in #{VERSION} (not Chef)".freeze
end

require_relative "stand_in/place"
require_relative "stand_in/nearest"
require_relative "stand_in/errors"
require_relative "stand_in/source"
require_relative "stand_in/shell"
require_relative "stand_in/attributes"
require_relative "stand_in/events"
require_relative "stand_in/run_status"
require_relative "stand_in/dsl"
require_relative "stand_in/action_context"
require_relative "stand_in/resource"
require_relative "stand_in/acting"
require_relative "stand_in/recipe"
require_relative "stand_in/chef_names"
require_relative "stand_in/node"
require_relative "stand_in/run_list"
require_relative "stand_in/cookbook"
require_relative "stand_in/runner"
require_relative "stand_in/run_context"
require_relative "stand_in/compiler"
require_relative "stand_in/missing_attribute"
require_relative "stand_in/facts"
require_relative "stand_in/doc_formatter"
require_relative "stand_in/client"
Dir[File.join(__dir__, "stand_in", "resources", "*.rb")].each { |file| require file }
