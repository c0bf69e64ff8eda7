output "peerings" {
  description = "Peering connections by the two clusters they join."
  value = merge(
    { for pair, peering in module.peering_eu-central-1_eu-central-1 : pair => peering.id },
  )
}
