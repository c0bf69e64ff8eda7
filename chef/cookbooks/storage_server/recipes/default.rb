include_recipe 'storage_client::version_four'
include_recipe 'storage_server::folders'
include_recipe 'storage_server::exports'
include_recipe 'storage_server::service'
