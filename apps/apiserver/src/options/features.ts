import type { ServerChainOptions } from '@keelson/control-plane'
import { list, createSwitchesType } from '../flag-types.ts'
import type { FlagValuesOf } from '../flag-types.ts'

const group = 'Features'

/** Flags of features, API versions and controllers. Names and defaults are the same as in kube-apiserver if it has the flag. */
export const featureFlags = {
  'feature-gates': {
    group,
    type: createSwitchesType(),
    help: 'Features to enable or disable: CBORServingAndStorage=true serves application/cbor. All names of kube-apiserver are accepted; those without an effect are logged.',
  },
  'runtime-config': {
    group,
    type: createSwitchesType(),
    help: 'API versions and resources to enable or disable: apps/v1=false, v1 (core), apps/v1/daemonsets, api/all, api/ga, api/beta, api/alpha. Default: the stable versions.',
  },
  controllers: {
    group,
    type: list(),
    help: 'Controllers to run in the server: * enables all, none disables all, -name disables one. Default * with embedded and memory, none with etcd3.',
  },
} as const

export function readFeatureOptions(values: FlagValuesOf<typeof featureFlags>): Pick<ServerChainOptions, 'features' | 'controllers'> {
  const gates = values['feature-gates']
  const runtimeConfig = values['runtime-config']
  return {
    features: {
      ...(gates && { gates: Object.fromEntries(gates) }),
      ...(runtimeConfig && { runtimeConfig: Object.fromEntries(runtimeConfig) }),
    },
    ...(values.controllers && { controllers: values.controllers }),
  }
}
