import type { StatefulSetSpec } from '@keelson/api/apps/v1'
import type { PodSpec, PodTemplateSpec, Volume } from '@keelson/api/core/v1'
import { validateAnnotations, validateLabels } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { createPodRules, validatePodAnnotations, validatePodTemplateSpec } from '@keelson/resources-core'

type ReadonlyTemplate = DeepReadonly<PodTemplateSpec>

interface TemplateOptions {
  readonly old?: ReadonlyTemplate | undefined
  /** Skips the pod spec, because the stored one is already invalid. */
  readonly skipSpec: boolean
}

/** Validates labels and annotations twice, like kube-apiserver. Ignores hostname and subdomain, which the controller sets. */
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

/** Returns the pod template as the controller uses it: each claim template adds a volume and replaces a volume of the same name. */
function withClaimVolumes({ template = {}, volumeClaimTemplates }: DeepReadonly<StatefulSetSpec>): ReadonlyTemplate {
  if (template.spec === undefined) return template
  const { hostname: _hostname, subdomain: _subdomain, ...podSpec } = template.spec as PodSpec
  const claims = new Set((volumeClaimTemplates ?? []).map(({ metadata }) => metadata?.name ?? ''))
  if (claims.size === 0) return { ...template, spec: podSpec }
  const volumes: Volume[] = [...claims].map((name) => ({ name, persistentVolumeClaim: { claimName: name } }))
  const otherVolumes = (podSpec.volumes ?? []).filter(({ name }) => !claims.has(name))
  return { ...template, spec: { ...podSpec, volumes: [...volumes, ...otherVolumes] } }
}
