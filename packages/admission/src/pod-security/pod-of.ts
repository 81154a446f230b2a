import type { PodSpec, PodTemplateSpec } from '@keelson/api/core/v1'
import type { DeepReadonly, GroupResource, KubeObject } from '@keelson/apimachinery'
import { checkedPod } from './check.ts'
import type { CheckedPod } from './check.ts'

interface WithSpec {
  readonly spec?: { readonly template?: Template; readonly jobTemplate?: { readonly spec?: { readonly template?: Template } } }
}
type Template = DeepReadonly<PodTemplateSpec>

const templates: Readonly<Record<string, (object: KubeObject) => Template | undefined>> = {
  'podtemplates.': (object) => (object as { readonly template?: Template }).template,
  'replicationcontrollers.': specTemplate,
  'replicasets.apps': specTemplate,
  'deployments.apps': specTemplate,
  'statefulsets.apps': specTemplate,
  'daemonsets.apps': specTemplate,
  'jobs.batch': specTemplate,
  'cronjobs.batch': (object) => (object as WithSpec).spec?.jobTemplate?.spec?.template,
}

function specTemplate(object: KubeObject): Template | undefined {
  return (object as WithSpec).spec?.template
}

/** Returns whether the resource has a pod template. */
export function makesPods({ group, resource }: GroupResource): boolean {
  return Object.hasOwn(templates, `${resource}.${group}`)
}

/** Returns the pod of an object's template; undefined if it has no template. */
export function podOfController({ group, resource }: GroupResource, object: KubeObject): CheckedPod | undefined {
  const template = templates[`${resource}.${group}`]?.(object)
  return template === undefined ? undefined : checkedPod(template.metadata?.annotations, template.spec)
}

export function podOf(object: DeepReadonly<KubeObject>): CheckedPod {
  return checkedPod(object.metadata.annotations, (object as { readonly spec?: DeepReadonly<PodSpec> }).spec)
}
