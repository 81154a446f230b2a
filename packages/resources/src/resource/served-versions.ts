import type * as v1 from '@keelson/api/resource/v1'
import type * as v1beta1 from '@keelson/api/resource/v1beta1'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { ServedVersion } from '@keelson/registry'
import { setClaimStatusDefaults } from './claim-spec.ts'
import { convertClaimSpecFromHub, convertClaimSpecToHub, setBetaClaimSpecDefaults } from './v1beta1/convert-requests.ts'
import { setBetaSliceDefaults, convertSliceFromHub, convertSliceToHub } from './v1beta1/convert-slices.ts'

const group = 'resource.k8s.io'

/** The version v1beta2, which has the schema of v1. v1beta1 has other requests and devices, and needs conversions. */
const v1beta2Version: ServedVersion = { group, version: 'v1beta2', deprecated: { since: '1.36', gone: '1.39' } }
const v1beta1Version: ServedVersion = { group, version: 'v1beta1', deprecated: { since: '1.35', gone: '1.38' } }

export const classVersions: readonly ServedVersion[] = [v1beta2Version, v1beta1Version]

export const claimVersions: readonly ServedVersion[] = [
  v1beta2Version,
  {
    ...v1beta1Version,
    setDefaults({ spec, status }: v1beta1.ResourceClaim) {
      setBetaClaimSpecDefaults(spec)
      setClaimStatusDefaults(status)
    },
    toHub: ({ spec, ...rest }: v1beta1.ResourceClaim): v1.ResourceClaim => ({ ...rest, spec: convertClaimSpecToHub(spec) }),
    fromHub: ({ spec, ...rest }: DeepReadonly<v1.ResourceClaim>) =>
      ({ ...rest, spec: convertClaimSpecFromHub(spec) }) as v1beta1.ResourceClaim,
  },
]

export const claimTemplateVersions: readonly ServedVersion[] = [
  v1beta2Version,
  {
    ...v1beta1Version,
    setDefaults: ({ spec }: v1beta1.ResourceClaimTemplate) => setBetaClaimSpecDefaults(spec.spec),
    toHub: ({ spec, ...rest }: v1beta1.ResourceClaimTemplate): v1.ResourceClaimTemplate => ({
      ...rest,
      spec: { ...spec, spec: convertClaimSpecToHub(spec.spec) },
    }),
    fromHub: ({ spec, ...rest }: DeepReadonly<v1.ResourceClaimTemplate>) =>
      ({ ...rest, spec: { ...spec, spec: convertClaimSpecFromHub(spec.spec) } }) as v1beta1.ResourceClaimTemplate,
  },
]

export const sliceVersions: readonly ServedVersion[] = [
  v1beta2Version,
  { ...v1beta1Version, setDefaults: setBetaSliceDefaults, toHub: convertSliceToHub, fromHub: convertSliceFromHub },
]
