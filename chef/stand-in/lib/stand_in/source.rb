# frozen_string_literal: true

module StandIn
  # Evaluating the files of cookbooks.
  #
  # Code that is evaluated sees the local variables of whoever does it, before any method of that name:
  # here they have names that no cookbook would use.
  module Source
    def self.run_in(stand_in_object, stand_in_file)
      stand_in_object.instance_eval(File.read(stand_in_file), stand_in_file, 1)
    end

    def self.define_in(stand_in_class, stand_in_file)
      stand_in_class.class_eval(File.read(stand_in_file), stand_in_file, 1)
    end
  end
end
