# frozen_string_literal: true

require "fileutils"
require "tempfile"

module StandIn
  module Files
    # Puts new content in the place of a file at once: whoever reads it sees the old or the new one,
    # never half of it. The file keeps its owner and mode; a copy of the old one is kept.
    class Placing
      def initialize(path, backups)
        @path = File.symlink?(path) ? File.realpath(path) : path
        @backups = backups || 0
      end

      def replace_with(source)
        stat = File.stat(@path)
        back_up
        File.chown(stat.uid, stat.gid, source)
        File.chmod(stat.mode & 0o7777, source)
        FileUtils.mv(source, @path)
      end

      # Keeps the newest `backups` copies below file_backup_path.
      def back_up
        return unless @backups.positive? && File.file?(@path) && Chef::Config[:file_backup_path]

        copy = "#{stem}#{Time.now.strftime('%Y%m%d%H%M%S.%6N')}"
        FileUtils.mkdir_p(File.dirname(copy), mode: 0o700)
        FileUtils.cp(@path, copy, preserve: true)
        Dir.glob("#{stem}*").reverse.drop(@backups).each { |old| File.delete(old) }
      end

      # A file with this content beside the path, named like it for programs that look at the name.
      def self.temporary(path, content)
        folder = File.directory?(File.dirname(path)) ? File.dirname(path) : Dir.tmpdir
        extension = File.extname(path)
        file = Tempfile.create([".stand-in-#{File.basename(path, extension)}", extension], folder)
        file.binmode
        file.write(content)
        file.close
        yield file.path
      ensure
        FileUtils.rm_f(file.path) if file
      end

      private

      def stem
        "#{File.join(Chef::Config[:file_backup_path], @path)}.chef-"
      end
    end
  end
end
