include_recipe 'storage_client::version_four'
include_recipe 'storage_client::efs'
include_recipe 'storage_client::folders'
