import type { TokenRequest } from '@keelson/api/authentication/v1'
import type {
  Endpoints,
  LimitRange,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodTemplate,
  ReplicationController,
  ResourceQuota,
  Secret,
  Service,
} from '@keelson/api/core/v1'
import type { KindRegistration, KubeObject, Scheme } from '@keelson/apimachinery'
import { fieldLabelConversion } from '@keelson/registry'
import { setEndpointsDefaults } from './endpoints/defaults.ts'
import { eventFieldLabel, eventFromHub, eventToHub } from './events/convert.ts'
import { setLimitRangeDefaults } from './limitranges/defaults.ts'
import { setNamespaceDefaults } from './namespaces/defaults.ts'
import { normalizeNode, setNodeDefaults } from './nodes/defaults.ts'
import { setClaimDefaults } from './persistentvolumeclaims/defaults.ts'
import { setPersistentVolumeDefaults } from './persistentvolumes/defaults.ts'
import { setPodDefaults } from './pods/defaults.ts'
import { podFieldLabel } from './pods/field-labels.ts'
import { normalizePod } from './pods/normalize-pod.ts'
import { setPodTemplateObjectDefaults } from './podtemplates/defaults.ts'
import { setReplicationControllerDefaults } from './replicationcontrollers/defaults.ts'
import { setResourceQuotaDefaults } from './resourcequotas/defaults.ts'
import { coreResources } from './resources.ts'
import { mergeStringData, setSecretDefaults } from './secrets/defaults.ts'
import { tokenRequestKind } from './serviceaccounts/token-subresource.ts'
import { setTokenRequestDefaults } from './serviceaccounts/validate-token-request.ts'
import { setServiceDefaults } from './services/defaults.ts'

type Rules = Omit<KindRegistration, 'gvk' | 'hub'>

/** Registers all kinds of core/v1, its subresources and events.k8s.io/v1, with defaults, conversions and field labels. */
export function registerCore(scheme: Scheme): void {
  const rules: Readonly<Record<string, Rules>> = {
    Binding: {},
    ComponentStatus: {},
    ConfigMap: {},
    Endpoints: { setDefaults: typed<Endpoints>(setEndpointsDefaults) },
    Event: {},
    LimitRange: { setDefaults: typed<LimitRange>(setLimitRangeDefaults) },
    Namespace: { setDefaults: typed<Namespace>(setNamespaceDefaults) },
    Node: { setDefaults: typed<Node>(setNodeDefaults), toHub: (object) => normalizeNode(object) },
    PersistentVolume: { setDefaults: typed<PersistentVolume>(setPersistentVolumeDefaults) },
    PersistentVolumeClaim: { setDefaults: typed<PersistentVolumeClaim>(setClaimDefaults) },
    Pod: { setDefaults: typed<Pod>(setPodDefaults), toHub: (object) => normalizePod(object), convertFieldLabel: podFieldLabel },
    PodTemplate: { setDefaults: typed<PodTemplate>(setPodTemplateObjectDefaults) },
    ReplicationController: { setDefaults: typed<ReplicationController>(setReplicationControllerDefaults) },
    ResourceQuota: { setDefaults: typed<ResourceQuota>(setResourceQuotaDefaults) },
    Secret: { setDefaults: typed<Secret>(setSecretDefaults), toHub: (object) => mergeStringData(object) },
    Service: { setDefaults: typed<Service>(setServiceDefaults) },
    ServiceAccount: {},
  }
  const definitions = new Map(coreResources.map((definition) => [definition.kind, definition]))
  for (const [kind, rule] of Object.entries(rules)) {
    const gvk = { group: '', version: 'v1', kind }
    const definition = definitions.get(kind)
    const convertFieldLabel = definition && fieldLabelConversion(definition)
    scheme.register({ gvk, hub: gvk, ...(convertFieldLabel && { convertFieldLabel }), ...rule })
  }
  scheme.register({ gvk: tokenRequestKind, hub: tokenRequestKind, setDefaults: typed<TokenRequest>(setTokenRequestDefaults) })
  scheme.register({
    gvk: { group: 'events.k8s.io', version: 'v1', kind: 'Event' },
    hub: { group: '', version: 'v1', kind: 'Event' },
    toHub: eventToHub,
    fromHub: eventFromHub,
    convertFieldLabel: eventFieldLabel,
  })
}

/** The scheme passes only objects of the registered kind, so the cast is safe. */
function typed<T extends KubeObject>(change: (object: T) => void): (object: KubeObject) => void {
  return (object) => change(object as T)
}
