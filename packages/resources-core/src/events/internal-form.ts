import type { EventSource, ObjectReference } from '@keelson/api/core/v1'
import type { DeepReadonly } from '@keelson/apimachinery'

/** Converts a reference to the Go struct that kube-apiserver prints: Go field names, and zero values for missing fields. */
export function toInternalReference(reference: DeepReadonly<ObjectReference> | undefined): Record<string, string> | null {
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

export function toInternalSource(source: DeepReadonly<EventSource> | undefined): Record<string, string> {
  return { Component: source?.component ?? '', Host: source?.host ?? '' }
}
