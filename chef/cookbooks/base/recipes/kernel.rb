base_kernel_settings 'orchestrate' do
  settings node['base']['kernel']
end
