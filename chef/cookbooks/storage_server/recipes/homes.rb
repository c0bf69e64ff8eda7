# By number: those whose homes these are have no account here.
node['orchestrate']['homes'].each do |name, uid|
  directory "/srv/home/#{name}" do
    owner uid
    group uid
    mode '0700'
  end
end
