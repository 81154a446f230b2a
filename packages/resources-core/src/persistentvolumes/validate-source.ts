import type { PersistentVolumeSource, PersistentVolumeSpec } from '@keelson/api/core/v1'
import { fieldError } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { validateNoBacksteps } from '../pod-spec/validate-paths.ts'
import * as cloud from '../pod-spec/volume-sources-cloud.ts'
import { validateHostPath } from '../pod-spec/volume-sources-local.ts'
import * as network from '../pod-spec/volume-sources-network.ts'
import * as cluster from './cluster-sources.ts'

interface SourceRule<T> {
  /** Field name in error paths. Only set if upstream's error paths use another name than JSON. */
  readonly pathName?: string
  /** Field name in the error about a second source. Only set if upstream uses another name than JSON. */
  readonly duplicatePathName?: string
  /** True to validate this source even if another source is set. */
  readonly alwaysValidate?: true
  validate(source: DeepReadonly<T>, path: FieldPath, volumeName: string): FieldErrorList
}

type SourceRules = { readonly [K in keyof PersistentVolumeSource]-?: SourceRule<NonNullable<PersistentVolumeSource[K]>> }

/**
 * Validation rules by volume source, in upstream's order, because only the first source is validated. Sources that pods support too use the
 * rules of pods.
 */
const sourceRules: SourceRules = {
  hostPath: { validate: validateHostPath },
  gcePersistentDisk: { pathName: 'persistentDisk', validate: cloud.validateGCEPersistentDisk },
  awsElasticBlockStore: { validate: cloud.validateAWSElasticBlockStore },
  glusterfs: { validate: cluster.validateGlusterfsVolume },
  flocker: { validate: network.validateFlocker },
  nfs: { validate: network.validateNFS },
  rbd: { validate: network.validateRBD },
  quobyte: { validate: network.validateQuobyte },
  cephfs: { duplicatePathName: 'cephFS', validate: network.validateCephFS },
  iscsi: { validate: cluster.validateISCSIVolume },
  cinder: { validate: cluster.validateCinderVolume },
  fc: { validate: network.validateFC },
  flexVolume: { alwaysValidate: true, validate: cloud.validateFlexVolume },
  azureFile: { validate: cluster.validateAzureFileVolume },
  vsphereVolume: { validate: cloud.validateVsphereVolume },
  photonPersistentDisk: { validate: cloud.validatePhotonPersistentDisk },
  portworxVolume: { validate: cloud.validatePortworxVolume },
  azureDisk: { validate: cloud.validateAzureDisk },
  scaleIO: { validate: network.validateScaleIO },
  local: {
    validate: ({ path: directory }, path) =>
      directory ? validateNoBacksteps(directory, path.child('path')) : [fieldError.required(path.child('path'))],
  },
  storageos: { validate: cluster.validateStorageOSVolume },
  csi: { validate: cluster.validateCSIVolume },
}

/** Validates the volume source of a PersistentVolume. Requires exactly one source. */
export function validatePersistentVolumeSource(
  spec: DeepReadonly<PersistentVolumeSpec>,
  volumeName: string,
  path: FieldPath,
): FieldErrorList {
  const errors: FieldErrorList = []
  let hasSource = false
  for (const [member, rule] of Object.entries(sourceRules) as [keyof PersistentVolumeSource, SourceRule<unknown>][]) {
    const source = spec[member]
    if (source === undefined) continue
    if (hasSource && rule.alwaysValidate !== true) {
      errors.push(fieldError.forbidden(path.child(rule.duplicatePathName ?? member), 'may not specify more than 1 volume type'))
    } else {
      errors.push(...rule.validate(source, path.child(rule.pathName ?? member), volumeName))
      if (member === 'local' && spec.nodeAffinity === undefined) {
        errors.push(fieldError.required(path.child('nodeAffinity'), 'Local volume requires node affinity'))
      }
    }
    hasSource = true
  }
  return hasSource ? errors : [fieldError.required(path, 'must specify a volume type')]
}

/** Names of the spec fields that contain a volume source. */
export const sourceFields: readonly (keyof PersistentVolumeSource)[] = Object.keys(sourceRules) as (keyof PersistentVolumeSource)[]
