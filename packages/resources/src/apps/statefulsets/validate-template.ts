import type { StatefulSetSpec } from '@keelson/api/apps/v1'
import type { PodSpec, PodTemplateSpec, Volume } from '@keelson/api/core/v1'
import { validateAnnotations, validateLabels } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { createPodRules, validatePodAnnotations, validatePodTemplateSpec } from '@keelson/resources-core'

type ReadonlyTemplate = DeepReadonly<PodTemplateSpec>

interface TemplateOptions {
  readonly old?: ReadonlyTemplate | undefined
  /** Whether to skip validation of the pod spec, because the stored pod spec is already invalid. */
  readonly skipSpec: boolean
}

/**
 * Validates the pod template. Like kube-apiserver, validates labels and annotations twice. Ignores hostname and subdomain, which the
 * controller sets.
 */
export function validateTemplate(spec: DeepReadonly<StatefulSetSpec>, path: FieldPath, { old, skipSpec }: TemplateOptions): FieldErrorList {
  const template = withClaimVolumes(spec)
  const { labels, annotations = {} } = template.metadata ?? {}
  const rules = createPodRules('template', old)
  const annotationsPath = path.child('annotations')
  return [
    ...(skipSpec ? [] : validatePodTemplateSpec(template, path, old)),
    ...validateLabels(labels, path.child('labels')),
    ...validateAnnotations(annotations, annotationsPath),
    ...validatePodAnnotations(annotations, { spec: template.spec ?? { containers: null }, rules }, annotationsPath),
  ]
}

/**
 * Returns the pod template with the volumes that the controller adds: one for each claim template. It replaces a volume of the same name.
 */
function withClaimVolumes({ template = {}, volumeClaimTemplates }: DeepReadonly<StatefulSetSpec>): ReadonlyTemplate {
  if (template.spec === undefined) return template
  const { hostname: _hostname, subdomain: _subdomain, ...podSpec } = template.spec as PodSpec
  const claims = new Set((volumeClaimTemplates ?? []).map(({ metadata }) => metadata?.name ?? ''))
  if (claims.size === 0) return { ...template, spec: podSpec }
  const volumes: Volume[] = [...claims].map((name) => ({ name, persistentVolumeClaim: { claimName: name } }))
  const otherVolumes = (podSpec.volumes ?? []).filter(({ name }) => !claims.has(name))
  return { ...template, spec: { ...podSpec, volumes: [...volumes, ...otherVolumes] } }
}
