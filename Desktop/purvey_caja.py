"""Loads the extension of Purvey into Caja."""

import os
import sys

from gi.repository import Caja

sys.path.append(os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../purvey/file-managers"))
from purvey_file_manager import extension

PurveyExtension = extension(Caja)
