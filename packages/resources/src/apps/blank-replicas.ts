/** Sets `spec.replicas` to 0, the zero value of kube-apiserver's internal type, where the field is not optional. */
export function fillBlankReplicas(object: { spec?: { replicas?: number } }): void {
  object.spec = { ...object.spec, replicas: 0 }
}
