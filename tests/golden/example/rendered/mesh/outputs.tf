output "peerings" {
  description = "Peering connections by the two clusters they join."
  value = merge(
    { for pair, peering in module.peering_eu-west-1_us-east-1 : pair => peering.id },
    { for pair, peering in module.peering_eu-west-1_us-west-2 : pair => peering.id },
    { for pair, peering in module.peering_us-east-1_us-west-2 : pair => peering.id },
  )
}
