/** Annotations of pods and templates that the server itself understands. */
export const mirrorAnnotation: string = 'kubernetes.io/config.mirror'
export const tolerationsAnnotation: string = 'scheduler.alpha.kubernetes.io/tolerations'
export const deletionCostAnnotation: string = 'controller.kubernetes.io/pod-deletion-cost'
export const seccompPodAnnotation: string = 'seccomp.security.alpha.kubernetes.io/pod'
/** A container's name follows, as with the next. */
export const seccompContainerPrefix: string = 'container.seccomp.security.alpha.kubernetes.io/'
export const appArmorContainerPrefix: string = 'container.apparmor.security.beta.kubernetes.io/'
/** Of the time when init containers were annotations. Never kept. */
export const initContainerAnnotations: readonly string[] = [
  'pod.beta.kubernetes.io/init-containers',
  'pod.alpha.kubernetes.io/init-containers',
  'pod.beta.kubernetes.io/init-container-statuses',
  'pod.alpha.kubernetes.io/init-container-statuses',
]
