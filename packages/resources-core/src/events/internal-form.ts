import type { EventSource, ObjectReference } from '@keelson/api/core/v1'
import type { DeepReadonly } from '@keelson/apimachinery'

/** How the original prints a reference that may not change: its internal type, whose members are in upper case and all there. */
export function internalReference(reference: DeepReadonly<ObjectReference> | undefined): Record<string, string> | null {
  if (reference === undefined) return null
  return {
    Kind: reference.kind ?? '',
    Namespace: reference.namespace ?? '',
    Name: reference.name ?? '',
    UID: reference.uid ?? '',
    APIVersion: reference.apiVersion ?? '',
    ResourceVersion: reference.resourceVersion ?? '',
    FieldPath: reference.fieldPath ?? '',
  }
}

export function internalSource(source: DeepReadonly<EventSource> | undefined): Record<string, string> {
  return { Component: source?.component ?? '', Host: source?.host ?? '' }
}
