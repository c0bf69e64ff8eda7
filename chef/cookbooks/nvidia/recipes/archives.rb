package 'gnupg'

node['nvidia']['archives'].each do |name, archive|
  nvidia_signed_archive name do
    uri archive['uri']
    key archive['key']
    fingerprint archive['fingerprint']
  end
end
