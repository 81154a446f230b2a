import type { JsonObject, StructSchema } from '@keelson/apimachinery'
import { findKindType } from '@keelson/tooling-e2e/encode-body'
import { buildCollectionPath } from '@keelson/tooling-e2e/served-resources'
import type { ServedResource } from '@keelson/tooling-e2e/served-resources'
import { namespace } from './case.ts'
import { createExample, hasExample } from './examples.ts'
import type { Random } from './random.ts'

/** A resource that cases send requests to, with the schema of its kind. */
export interface Subject extends ServedResource {
  readonly schema: StructSchema
}

/**
 * Resources whose objects would affect other requests. Cases create such objects only with `dryRun=All`. For example, ServiceCIDRs
 * determine the addresses of all services, and a PriorityClass or StorageClass can be the default.
 */
const dryRunOnly: ReadonlySet<string> = new Set([
  // LimitRanges affect only the run's namespace. But kube-apiserver applies a deleted LimitRange for some seconds more, so the responses to
  // the next cases would be random.
  '/limitranges',
  '/resourcequotas',
  'admissionregistration.k8s.io/mutatingadmissionpolicies',
  'admissionregistration.k8s.io/mutatingadmissionpolicybindings',
  'admissionregistration.k8s.io/mutatingwebhookconfigurations',
  'admissionregistration.k8s.io/validatingadmissionpolicies',
  'admissionregistration.k8s.io/validatingadmissionpolicybindings',
  'admissionregistration.k8s.io/validatingwebhookconfigurations',
  'apiextensions.k8s.io/customresourcedefinitions',
  'apiregistration.k8s.io/apiservices',
  'flowcontrol.apiserver.k8s.io/flowschemas',
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations',
  'networking.k8s.io/ingressclasses',
  'networking.k8s.io/servicecidrs',
  'rbac.authorization.k8s.io/clusterrolebindings',
  'rbac.authorization.k8s.io/clusterroles',
  'scheduling.k8s.io/priorityclasses',
  'storage.k8s.io/storageclasses',
])

export function mayPersist({ group, plural }: Pick<ServedResource, 'group' | 'plural'>): boolean {
  return !dryRunOnly.has(`${group}/${plural}`)
}

export async function findSubjects(resources: readonly ServedResource[]): Promise<Subject[]> {
  const subjects: Subject[] = []
  for (const resource of resources) {
    const { group, version, kind, verbs } = resource
    const type = verbs.includes('create') && hasExample(resource) ? await findKindType({ group, version, kind }) : undefined
    if (type !== undefined) subjects.push({ ...resource, schema: type.schema })
  }
  return subjects
}

/** Returns the name of a case's object. Names of cluster-scoped objects get the namespace as prefix. */
export function formatObjectName({ namespaced }: Subject, name: string): string {
  return namespaced ? name : `${namespace}-${name}`
}

export function formatCollectionPath(subject: Subject): string {
  return buildCollectionPath(subject, namespace)
}

export function formatObjectPath(subject: Subject, name: string): string {
  return `${formatCollectionPath(subject)}/${formatObjectName(subject, name)}`
}

export function createSubjectExample(random: Random, subject: Subject, name: string): JsonObject {
  return createExample(random, subject, formatObjectName(subject, name), namespace)
}
