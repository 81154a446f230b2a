import type { ResourceClaimTemplate } from '@keelson/api/resource/v1'
import { newFieldPath } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList } from '@keelson/apimachinery'
import { defineResource, validateInSlices } from '@keelson/registry'
import type { ResourceDefinition, ValidationSteps } from '@keelson/registry'
import { validateTemplateMeta } from '@keelson/resources-core'
import { setClaimSpecDefaults, validateClaimSpec } from '../claim-spec.ts'
import { claimTemplateVersions } from '../served-versions.ts'
import { validateSpecUnchanged } from '../validate-spec-unchanged.ts'

const specPath = newFieldPath('spec')

/** The definition of claim templates. A controller creates a claim for each pod from them. */
export const resourceClaimTemplates: ResourceDefinition<ResourceClaimTemplate> = defineResource<ResourceClaimTemplate>({
  group: 'resource.k8s.io',
  version: 'v1',
  kind: 'ResourceClaimTemplate',
  plural: 'resourceclaimtemplates',
  alsoServedAs: claimTemplateVersions,
  scope: 'Namespaced',
  returnsDeletedObject: true,
  setDefaults: ({ spec }) => setClaimSpecDefaults(spec.spec),
  strategy: {
    runValidation: validateInSlices,
    validateCreate: (_context, template, steps) => validateTemplate(template, steps),
    validateUpdate: (_context, template, old, steps) => [
      ...validateTemplate(template, steps),
      ...validateSpecUnchanged('ResourceClaimTemplateSpec', template.spec, old.spec),
    ],
  },
  columns: [],
})

function validateTemplate({ spec }: DeepReadonly<ResourceClaimTemplate>, steps: ValidationSteps | undefined): FieldErrorList {
  return [
    ...validateTemplateMeta(spec.metadata ?? {}, specPath.child('metadata')),
    ...validateClaimSpec(spec.spec, specPath.child('spec'), steps),
  ]
}
