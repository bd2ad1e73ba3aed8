"""Validates a bill of materials on standard input with the schema of CycloneDX."""

import sys

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(sys.stdin.read())
sys.exit(f"{error}"[:2000] if error else 0)
