import type { Volume, VolumeSource } from '@keelson/api/core/v1'
import { fieldError, nameIsDNSSubdomain, parseQuantity } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { validateClaimTemplate } from './validate-claim-spec.ts'
import { validateImageVolume } from './validate-images.ts'
import { validateProjectedVolume } from './validate-projected-volume.ts'
import * as cloud from './volume-sources-cloud.ts'
import * as local from './volume-sources-local.ts'
import * as network from './volume-sources-network.ts'
import type { VolumeScope } from './validate-volumes.ts'

interface VolumeContext extends VolumeScope {
  readonly volume: DeepReadonly<Volume>
  /** Path of the volume. The path of its source is below it. */
  readonly volumePath: FieldPath
}

interface SourceRule<T> {
  /** Field name in error paths. Only set if upstream's error paths use another name than JSON. */
  readonly pathName?: string
  /** Field name in the error about a second source. Only set if upstream uses another name than JSON. */
  readonly duplicatePathName?: string
  validate(source: DeepReadonly<T>, path: FieldPath, at: VolumeContext): FieldErrorList
}

type SourceRules = { readonly [K in keyof VolumeSource]-?: SourceRule<NonNullable<VolumeSource[K]>> }

/** Validation rules by volume source, in upstream's order, because only the first source of a volume is validated. */
const sourceRules: SourceRules = {
  emptyDir: {
    validate: ({ sizeLimit }, path) =>
      sizeLimit !== undefined && parseQuantity(sizeLimit).sign() < 0
        ? [fieldError.forbidden(path.child('sizeLimit'), 'SizeLimit field must be a valid resource quantity')]
        : [],
  },
  hostPath: { validate: local.validateHostPath },
  gitRepo: { validate: local.validateGitRepo },
  gcePersistentDisk: { pathName: 'persistentDisk', duplicatePathName: 'gcePersistentDisk', validate: cloud.validateGCEPersistentDisk },
  awsElasticBlockStore: { validate: cloud.validateAWSElasticBlockStore },
  secret: { validate: local.validateSecretVolume },
  nfs: { validate: network.validateNFS },
  iscsi: { validate: (source, path, at) => [...network.validateISCSI(source, path), ...validateInitiatorLength(at)] },
  glusterfs: { validate: network.validateGlusterfs },
  flocker: { validate: network.validateFlocker },
  persistentVolumeClaim: { validate: local.validateClaimVolume },
  rbd: { validate: network.validateRBD },
  cinder: { validate: cloud.validateCinder },
  cephfs: { duplicatePathName: 'cephFS', validate: network.validateCephFS },
  quobyte: { validate: network.validateQuobyte },
  downwardAPI: { duplicatePathName: 'downwarAPI', validate: local.validateDownwardAPIVolume },
  fc: { validate: network.validateFC },
  flexVolume: { validate: cloud.validateFlexVolume },
  configMap: { validate: local.validateConfigMapVolume },
  azureFile: { validate: cloud.validateAzureFile },
  vsphereVolume: { validate: cloud.validateVsphereVolume },
  photonPersistentDisk: { validate: cloud.validatePhotonPersistentDisk },
  portworxVolume: { validate: cloud.validatePortworxVolume },
  azureDisk: { validate: cloud.validateAzureDisk },
  storageos: { validate: network.validateStorageOS },
  projected: { validate: (source, path, { rules }) => validateProjectedVolume(source, rules, path) },
  scaleIO: { validate: network.validateScaleIO },
  csi: { validate: network.validateCSI },
  ephemeral: { validate: validateEphemeral },
  image: { validate: (source, path, { rules }) => validateImageVolume(source, rules, path) },
}

type SourceEntry = readonly [keyof VolumeSource, SourceRule<unknown>]
const rulesInOrder = Object.entries(sourceRules) as unknown as readonly SourceEntry[]
const rulesByMember = new Map<string, SourceEntry>(rulesInOrder.map((entry) => [entry[0], entry]))

/** Validates the source of a pod's volume. Requires exactly one source. */
export function validateVolumeSource(volume: DeepReadonly<Volume>, context: VolumeScope, path: FieldPath): FieldErrorList {
  const errors: FieldErrorList = []
  const at: VolumeContext = { ...context, volume, volumePath: path }
  let hasSource = false
  for (const [member, rule] of findSourceRules(volume)) {
    const source = volume[member]
    if (source === undefined) continue
    if (hasSource)
      errors.push(fieldError.forbidden(path.child(rule.duplicatePathName ?? member), 'may not specify more than 1 volume type'))
    else for (const error of rule.validate(source, path.child(rule.pathName ?? member), at)) errors.push(error)
    hasSource = true
  }
  return hasSource ? errors : [fieldError.required(path, 'must specify a volume type')]
}

/**
 * Returns the rules for the sources of a volume. For the usual volume with one source, returns only the rule of that source, which is
 * faster than a search through all rules.
 */
function findSourceRules(volume: DeepReadonly<Volume>): readonly SourceEntry[] {
  let foundSourceEntry: SourceEntry | undefined
  for (const member in volume) {
    const entry = rulesByMember.get(member)
    if (entry === undefined) continue
    if (foundSourceEntry !== undefined) return rulesInOrder
    foundSourceEntry = entry
  }
  return foundSourceEntry === undefined ? [] : [foundSourceEntry]
}

function validateInitiatorLength({ volume: { name = '', iscsi }, volumePath }: VolumeContext): FieldErrorList {
  if (iscsi?.initiatorName === undefined || `${name}:${iscsi.targetPortal}`.length <= 64) return []
  const detail = 'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.'
  return [fieldError.invalid(volumePath.child('name'), name, detail)]
}

function validateEphemeral(
  source: DeepReadonly<NonNullable<VolumeSource['ephemeral']>>,
  path: FieldPath,
  at: VolumeContext,
): FieldErrorList {
  const template = source.volumeClaimTemplate
  const errors =
    template === undefined
      ? [fieldError.required(path.child('volumeClaimTemplate'))]
      : validateClaimTemplate(template, path.child('volumeClaimTemplate'))
  const { name = '' } = at.volume
  if (at.podName === '' || name === '') return errors
  const claim = `${at.podName}-${name}`
  for (const message of nameIsDNSSubdomain(claim, false)) {
    errors.push(fieldError.invalid(at.volumePath.child('name'), name, `PVC name "${claim}": ${message}`))
  }
  return errors
}
