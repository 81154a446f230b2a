import type { Ingress } from '@keelson/api/networking/v1'
import { newFieldPath, equalsSemantically } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import { withoutFields } from '@keelson/apimachinery/managed-fields'
import type { Strategy, SubresourceStrategy } from '@keelson/registry'
import { findIPWarnings, keepMember } from '@keelson/resources-core'
import { validateIngressStatus } from './validate-status.ts'
import { classAnnotation, validateIngressCreate, validateIngressUpdate } from './validate.ts'

export const ingressStrategy: Strategy<Ingress> = {
  resetFields: withoutFields('status'),
  prepareForCreate(_context, ingress) {
    ingress.status = { loadBalancer: {} }
    ingress.metadata.generation = 1
  },
  prepareForUpdate(_context, ingress, old) {
    keepMember(ingress, old, 'status')
    if (!equalsSemantically(ingress.spec ?? {}, old.spec ?? {})) ingress.metadata.generation = (old.metadata.generation ?? 0) + 1
  },
  validateCreate: (_context, ingress) => validateIngressCreate(ingress),
  warningsOnCreate: (_context, ingress) => findAnnotationWarnings(ingress),
  validateUpdate: (_context, ingress, old) => validateIngressUpdate(ingress, old),
}

export const ingressStatus: SubresourceStrategy<Ingress> = {
  update: {
    resetFields: withoutFields('spec'),
    prepareForUpdate: (_context, ingress, old) => keepMember(ingress, old, 'spec'),
    validateUpdate: (_context, ingress, old) => validateIngressStatus(ingress, old),
    warningsOnUpdate: (_context, ingress) => findAddressWarnings(ingress),
  },
}

function findAnnotationWarnings({ metadata, spec }: DeepReadonly<Ingress>): string[] {
  const isLegacy = metadata.annotations?.[classAnnotation] !== undefined && spec?.ingressClassName === undefined
  return isLegacy ? [`annotation "${classAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`] : []
}

function findAddressWarnings({ status }: DeepReadonly<Ingress>): string[] {
  const path = newFieldPath('status', 'loadBalancer', 'ingress')
  return (status?.loadBalancer?.ingress ?? []).flatMap(({ ip = '' }, i) => (ip === '' ? [] : findIPWarnings(ip, path.index(i))))
}
