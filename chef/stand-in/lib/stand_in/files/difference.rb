# frozen_string_literal: true

module StandIn
  module Files
    # How the content of a file changes, as people read it.
    module Difference
      LONGEST = 2_000
      LARGEST_BYTES = 10_000_000

      module_function

      # A unified diff; one line instead where either is binary or too long to be read.
      def between(old_path, new_path, label)
        both = [old_path, new_path]
        return "(large file, diff left out)" if both.any? { |path| File.size?(path).to_i > LARGEST_BYTES }
        return "(binary file, diff left out)" if both.any? { |path| binary?(path) }

        command = ["diff", "-u", "--label", label, "--label", "#{label} (new)", old_path, new_path]
        lines = Mixlib::ShellOut.new(*command, environment: Shell.environment).run_command.stdout.lines
        lines.size > LONGEST ? "(diff of #{lines.size} lines left out)" : lines.join.chomp
      end

      def binary?(path)
        File.file?(path) && File.binread(path, 8_000).to_s.include?("\0")
      end
    end
  end
end
