gpus = Orchestrate::Gpus.new
wanted, why = gpus.driver_wanted(
  node['nvidia']['install'],
  node['orchestrate'],
  container: Orchestrate::RunningKernel.container?
)
Chef::Log.info("NVIDIA's driver is #{wanted ? 'installed' : 'left out'}: #{why}")
return unless wanted

include_recipe 'nvidia::archives'
include_recipe 'nvidia::driver'
include_recipe 'nvidia::toolkit'
include_recipe 'nvidia::services'
