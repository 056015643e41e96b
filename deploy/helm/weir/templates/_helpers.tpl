{{- define "weir.labels" -}}
app.kubernetes.io/name: weir
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
{{- define "weir.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}
{{- define "weir.security" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}
{{- /* Helm reads numbers as floating-point numbers, and would write a million as 1e+06. */}}
{{- define "weir.text" -}}
{{ if kindIs "float64" . }}{{ if eq . (floor .) }}{{ int64 . }}{{ else }}{{ . }}{{ end }}{{ else if not (kindIs "invalid" .) }}{{ . }}{{ end }}
{{- end }}
{{- define "weir.environment" -}}
envFrom:
  - secretRef: { name: {{ .Values.secretName }} }
env:
  {{- range $name, $value := .Values.settings }}
  - { name: {{ $name }}, value: {{ include "weir.text" $value | quote }} }
  {{- end }}
{{- end }}
