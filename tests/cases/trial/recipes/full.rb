# Fills what the node calls `full`, and then wants to write there.

execute "head -c 10M /dev/zero > #{node['full']}/filler" do
  ignore_failure :quiet
end

file "#{node['full']}/more" do
  content 'x' * 100_000
end
