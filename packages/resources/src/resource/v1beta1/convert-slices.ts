import type * as v1 from '@keelson/api/resource/v1'
import type * as v1beta1 from '@keelson/api/resource/v1beta1'
import type { DeepReadonly } from '@keelson/apimachinery'
import { setDeviceDefaults } from '../resourceslices/strategy.ts'

export function setBetaSliceDefaults({ spec }: v1beta1.ResourceSlice): void {
  for (const { basic } of spec.devices ?? []) if (basic !== undefined) setDeviceDefaults(basic)
}

export function convertSliceToHub({ spec, ...rest }: v1beta1.ResourceSlice): v1.ResourceSlice {
  const { nodeName, allNodes, devices, ...others } = spec
  return {
    ...rest,
    spec: {
      ...others,
      ...(nodeName && { nodeName }),
      ...(allNodes && { allNodes }),
      ...(devices && { devices: devices.map(convertDeviceToHub) }),
    },
  }
}

function convertDeviceToHub({ name, basic }: v1beta1.Device): v1.Device {
  return { name, ...basic }
}

/** Converts a slice to v1beta1. Every device becomes a `basic` device, the only type of v1beta1. */
export function convertSliceFromHub(slice: DeepReadonly<v1.ResourceSlice>): v1beta1.ResourceSlice {
  const { spec, ...rest } = slice as v1.ResourceSlice
  const { nodeName, allNodes, devices, ...others } = spec
  return {
    ...rest,
    spec: {
      ...others,
      ...(nodeName && { nodeName }),
      ...(allNodes && { allNodes }),
      ...(devices && { devices: devices.map(({ name, ...basic }) => ({ name, basic })) }),
    },
  }
}
