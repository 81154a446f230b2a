#!/usr/bin/env node
import '@keelson/apiserver/main'
