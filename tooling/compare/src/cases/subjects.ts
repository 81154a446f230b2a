import type { JsonObject, StructSchema } from '@keelson/apimachinery'
import { findKindType } from '@keelson/tooling-e2e/encode-body'
import { buildCollectionPath } from '@keelson/tooling-e2e/served-resources'
import type { ServedResource } from '@keelson/tooling-e2e/served-resources'
import { namespace } from './case.ts'
import { exampleObject, hasExample } from './examples.ts'
import type { Random } from './random.ts'

/** A resource that cases can be about. */
export interface Subject extends ServedResource {
  readonly schema: StructSchema
}

/**
 * Resources whose objects would affect other requests: they are only tried (`dryRun=All`), never kept. Service CIDRs, for example, determine the
 * addresses of all services; priority classes and storage classes can be defaults.
 */
const onlyTried: ReadonlySet<string> = new Set([
  // Of the run's own namespace; but the original remembers them a little longer than they exist, and the next cases would be answered by chance.
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

export function isKept({ group, plural }: Pick<ServedResource, 'group' | 'plural'>): boolean {
  return !onlyTried.has(`${group}/${plural}`)
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

/** In no namespace, names begin with the namespace's. */
export function nameOf({ namespaced }: Subject, name: string): string {
  return namespaced ? name : `${namespace}-${name}`
}

export function collectionPath(subject: Subject): string {
  return buildCollectionPath(subject, namespace)
}

export function objectPath(subject: Subject, name: string): string {
  return `${collectionPath(subject)}/${nameOf(subject, name)}`
}

export function example(random: Random, subject: Subject, name: string): JsonObject {
  return exampleObject(random, subject, nameOf(subject, name), namespace)
}
