import type { Ingress } from '@keelson/api/networking/v1'
import { runAfter } from '@keelson/apimachinery'
import type { AdmissionPlugin } from '../admission.ts'
import type { PluginDependencies } from '../admission-plugins.ts'
import { listObjects } from '../find-object.ts'
import { findNewestDefault } from '../newest-default.ts'

const ingressClasses = { group: 'networking.k8s.io', resource: 'ingressclasses' }
const classAnnotation = 'kubernetes.io/ingress.class'
const defaultAnnotations = ['ingressclass.kubernetes.io/is-default-class']

/** Creates the plugin DefaultIngressClass. It sets the default class on ingresses that have neither a class nor the older annotation. */
export function defaultIngressClass(dependencies: PluginDependencies): AdmissionPlugin {
  return {
    name: 'DefaultIngressClass',
    operations: ['CREATE'],
    resources: ['ingresses.networking.k8s.io'],
    admit(attributes) {
      const ingress = attributes.object as Ingress
      if (ingress.spec?.ingressClassName !== undefined || ingress.metadata.annotations?.[classAnnotation] !== undefined) return
      return runAfter(listObjects(dependencies, ingressClasses, attributes), (classes) => {
        const name = findNewestDefault(classes, defaultAnnotations)
        if (name !== undefined) (ingress.spec ??= {}).ingressClassName = name
      })
    },
  }
}
