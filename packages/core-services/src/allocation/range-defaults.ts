export const defaultClusterIPRange = '10.0.0.0/24'
export const defaultNodePortRange = '30000-32767'
