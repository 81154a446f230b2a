import type { StatefulSetSpec } from '@keelson/api/apps/v1'
import type { PodSpec, PodTemplateSpec, Volume } from '@keelson/api/core/v1'
import { validateAnnotations, validateLabels } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { podRules, validatePodAnnotations, validatePodTemplateSpec } from '@keelson/resources-core'

type ReadonlyTemplate = DeepReadonly<PodTemplateSpec>

interface TemplateOptions {
  readonly old?: ReadonlyTemplate | undefined
  /** What was stored wrong may be written again. */
  readonly skipSpec: boolean
}

/** Labels and annotations are looked at twice, as the original does; hostnames are given by the controller, and are not. */
export function validateTemplate(spec: DeepReadonly<StatefulSetSpec>, path: FieldPath, { old, skipSpec }: TemplateOptions): FieldErrorList {
  const template = withClaimVolumes(spec)
  const { labels, annotations = {} } = template.metadata ?? {}
  const rules = podRules('template', old)
  const annotationsPath = path.child('annotations')
  return [
    ...(skipSpec ? [] : validatePodTemplateSpec(template, path, old)),
    ...validateLabels(labels, path.child('labels')),
    ...validateAnnotations(annotations, annotationsPath),
    ...validatePodAnnotations(annotations, { spec: template.spec ?? { containers: null }, rules }, annotationsPath),
  ]
}

/** The template of the pods as the controller will make them: a volume for each claim, in place of the pod's own of that name. */
function withClaimVolumes({ template = {}, volumeClaimTemplates }: DeepReadonly<StatefulSetSpec>): ReadonlyTemplate {
  if (template.spec === undefined) return template
  const { hostname: _hostname, subdomain: _subdomain, ...podSpec } = template.spec as PodSpec
  const claims = new Set((volumeClaimTemplates ?? []).map(({ metadata }) => metadata?.name ?? ''))
  if (claims.size === 0) return { ...template, spec: podSpec }
  const volumes: Volume[] = [...claims].map((name) => ({ name, persistentVolumeClaim: { claimName: name } }))
  const own = (podSpec.volumes ?? []).filter(({ name }) => !claims.has(name))
  return { ...template, spec: { ...podSpec, volumes: [...volumes, ...own] } }
}
