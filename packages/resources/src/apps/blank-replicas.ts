/** Inside, the number is none that may be left out. */
export function fillBlankReplicas(object: { spec?: { replicas?: number } }): void {
  object.spec = { ...object.spec, replicas: 0 }
}
