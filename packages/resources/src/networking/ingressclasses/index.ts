import type { IngressClass } from '@keelson/api/networking/v1'
import { equalsSemantically } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import { formatAge, defineResource } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { validateIngressClass, validateIngressClassUpdate } from './validate.ts'

const defaultAnnotation = 'ingressclass.kubernetes.io/is-default-class'

export const ingressClasses: ResourceDefinition<IngressClass> = defineResource<IngressClass>({
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'IngressClass',
  plural: 'ingressclasses',
  scope: 'Cluster',
  setDefaults({ spec }) {
    if (spec?.parameters !== undefined) spec.parameters.scope ??= 'Cluster'
  },
  strategy: {
    prepareForCreate(_context, { metadata }) {
      metadata.generation = 1
    },
    prepareForUpdate(_context, { metadata, spec }, old) {
      if (!equalsSemantically(spec ?? {}, old.spec ?? {})) metadata.generation = (old.metadata.generation ?? 0) + 1
    },
    validateCreate: (_context, ingressClass) => validateIngressClass(ingressClass),
    validateUpdate: (_context, ingressClass, old) => validateIngressClassUpdate(ingressClass, old),
  },
  allColumns: [
    {
      name: 'Name',
      format: 'name',
      description: 'Name of the class; the default class is marked.',
      value: ({ metadata }) => `${metadata.name ?? ''}${metadata.annotations?.[defaultAnnotation] === 'true' ? ' (default)' : ''}`,
    },
    { name: 'Controller', description: 'Name of the controller.', value: ({ spec }) => spec?.controller ?? '' },
    { name: 'Parameters', description: 'Reference to the parameters object.', value: ({ spec }) => formatParameters(spec?.parameters) },
    {
      name: 'Age',
      description: 'Time since the object was created.',
      value: ({ metadata }, now) => formatAge(metadata.creationTimestamp, now),
    },
  ],
})

function formatParameters(parameters: DeepReadonly<NonNullable<IngressClass['spec']>['parameters']>): string {
  if (parameters === undefined) return '<none>'
  const { apiGroup, kind, name } = parameters
  return `${kind}${apiGroup === undefined ? '' : `.${apiGroup}`}/${name}`
}
