# frozen_string_literal: true

require "chef-config/config"
require "mixlib/log"

# The names of Chef that cookbooks and handlers may use. Any other constant of Chef is an error where
# it is used.
class Chef
  # Chef::Log.warn "…"
  class Log
    extend Mixlib::Log
  end

  Config = ChefConfig::Config
  Handler = StandIn::Handler
  Resource = StandIn::Resource
  Recipe = StandIn::Recipe

  # Chef::DSL::Recipe.include(MyHelpers) gives recipes and actions a library's methods.
  module DSL
    Recipe = StandIn::DSL::Recipe
  end

  module Mixin
    ShellOut = StandIn::Shell
  end

  module EventDispatch
    Base = StandIn::Events::Base
  end
end
