/** A definition with a schema, a default and a status, and an object of it. */
export const widgetManifests = `
apiVersion: example.com/v1
kind: Widget
metadata: { name: first }
spec: { size: 3 }
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { plural: widgets, singular: widget, kind: Widget }
  versions:
    - name: v1
      served: true
      storage: true
      subresources: { status: {} }
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties: { size: { type: integer, maximum: 10 }, color: { type: string, default: red } }
            status: { type: object, x-kubernetes-preserve-unknown-fields: true }
`
