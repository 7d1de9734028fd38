"""Loads the extension of Purvey into Nautilus."""

import os
import sys

from gi.repository import Nautilus

sys.path.append(os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../purvey/file-managers"))
from purvey_file_manager import extension

PurveyExtension = extension(Nautilus)
